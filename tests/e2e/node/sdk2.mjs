// The TypeScript SDK, second generation, in the mode that MODE names: "legacy", "auto", or a version to pin.

import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { connection, exercise } from "./exercise.mjs";

const { url, requestInit } = connection();
const named = process.env.MODE;
const mode = named === "legacy" || named === "auto" ? named : { pin: named };
const client = new Client({ name: "sdk2", version: "1.0.0" }, { versionNegotiation: { mode } });
await client.connect(new StreamableHTTPClientTransport(url, { requestInit }));
await exercise(client, client.getNegotiatedProtocolVersion());
