// The TypeScript SDK, first generation: the handshake era.

import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { connection, exercise } from "./exercise.mjs";

const { url, requestInit } = connection();
const client = new Client({ name: "sdk1", version: "1.0.0" });
const transport = new StreamableHTTPClientTransport(url, { requestInit });
await client.connect(transport);
await exercise(client, transport.protocolVersion);
