// What each program here does with a connected client: every kind of call once, told as one line of JSON.

export function connection() {
  const { url, headers } = JSON.parse(process.env.CONNECTION);
  return { url: new URL(url), requestInit: { headers } };
}

export async function exercise(client, protocolVersion) {
  const { tools } = await client.listTools();
  const call = async (name, args) => client.callTool({ name, arguments: args });
  const remembered = await call("remember_context", {
    content: `The aviary key hangs behind the ${process.env.PLACE} door.`,
    topic: "keys",
  });
  const { item } = remembered.structuredContent;
  // All of these programs say nearly the same, so nearly all of it is asked for.
  const found = await call("search_context", {
    query: "Where is the key of the aviary?",
    filter_topic: "keys",
    limit: 20,
  });
  const fetched = await call("fetch_context", { document_id: item.id });
  const missing = await call("fetch_context", { document_id: "nothing-has-this-id" });
  await client.close();
  console.log(
    JSON.stringify({
      protocolVersion,
      tools: tools.map((tool) => tool.name),
      writeStatus: remembered.structuredContent.write_status,
      found: found.structuredContent.matches.some((match) => match.id === item.id),
      fetched: fetched.structuredContent.item.content,
      missing: { isError: missing.isError, text: missing.content[0].text },
    }),
  );
}
