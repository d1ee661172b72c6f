"""The documents that names cost in Firestore: at a write, a search for them and a forgetting."""

from bench.firestore_relay import Relay
from tests.endpoint import Endpoint
from tests.firestore_costs import EVENT, cost


async def test_a_new_name_costs_a_write_and_a_known_one_its_read(
    archivist: Endpoint, relay: Relay
) -> None:
    async def written(content: str, **arguments: object) -> tuple[int, int]:
        return await cost(relay, archivist, "remember_context", content=content, **arguments)

    fingerprint, nothing = 1, 1
    assert await written("Ask QXRT.") == (fingerprint + nothing, 3 + 1 + EVENT)
    assert await written("Ask QXRT today.") == (fingerprint + 1, 3 + EVENT)
    assert await written("qxrt and pay_ledger", entities=["Ana"]) == (1 + 1, 3 + 2 + EVENT)
    three = "Ana told qxrt of pay_ledger."
    assert await written(three) == (fingerprint + 3, 3 + EVENT)


async def test_an_id_that_is_given_costs_what_is_known_of_it(
    archivist: Endpoint, admin: Endpoint, relay: Relay
) -> None:
    first = await admin.save("Ask QXRT.")
    await admin.deprecate(first["id"], (await admin.save("Ask them."))["id"])
    (id_,) = first["metadata"]["entities"]
    fingerprint, nothing, entity, merged, counted = 1, 1, 1, 1, 1
    written = await cost(relay, archivist, "remember_context", content="One.", entities=[id_])
    assert written == (fingerprint + nothing + entity + merged + counted, 3 + EVENT)


async def test_a_search_for_names_counts_what_mentions_each(admin: Endpoint, relay: Relay) -> None:
    named, spelled, meant, merged, counted = 1, 1, 1, 1, 1
    found = await cost(relay, admin, "search_entities", query="QXRT")
    assert found == (named + spelled + meant, EVENT)
    await admin.save("Ask QXRT.")
    found = await cost(relay, admin, "search_entities", query="QXRT")
    assert found == (named + spelled + meant + merged + counted, EVENT)


async def test_forgetting_looks_at_what_was_mentioned_and_deletes_what_nothing_mentions_more(
    admin: Endpoint, relay: Relay
) -> None:
    texts = ("Nothing.", "Ask QXRT.", "Ask QXRT today.", "Ask QXRT now.")
    ids = [(await admin.save(text))["id"] for text in texts]
    await admin.tool("forget_context", {"ids": ids[:1]})
    plain, drawn, orphans, fingerprints = 2, 2, 1, 1
    forgotten = await cost(relay, admin, "forget_context", ids=ids[1:2])
    entity, merged, count = 1, 1, 1
    reads = plain + drawn + orphans + fingerprints + entity + merged + count
    assert forgotten == (reads, 3 + 1 + 1 + EVENT)
    await admin.tool("forget_context", {"ids": ids[2:3]})
    last = await cost(relay, admin, "forget_context", ids=ids[3:])
    counted_again = 1
    assert last == (reads + counted_again, 3 + 1 + 1 + 1 + EVENT)


async def test_a_merge_writes_two_entities_and_a_change(admin: Endpoint, relay: Relay) -> None:
    await admin.save("QXRT and ZYXW.")

    async def merged(**arguments: object) -> tuple[int, int]:
        return await cost(relay, admin, "merge_entities", **arguments)

    named, stored, told, count = 2, 2, 2, 1
    nothing, one = 1, 1
    # Of QXRT and ZYXW each: an alias that was given by hand is told whatever mentions it.
    count_of_names = 2
    reads = named + stored + told + count + count_of_names
    first = await merged(**{"from": "QXRT"}, into="ZYXW")
    assert first == (reads + nothing + one + nothing, 3 + EVENT)
    again = await merged(**{"from": "QXRT"}, into="ZYXW")
    assert again == (named + told + count + count_of_names + one + nothing, EVENT)
    alias = await merged(**{"from": "Zed"}, into="ZYXW")
    two = 2
    assert alias == (reads + one + nothing + two + nothing, 4 + EVENT)
    undone = await merged(**{"from": "Zed"}, undo=True)
    assert undone == (1 + 1 + 1 + nothing + count, 2 + EVENT)


async def test_what_names_stand_for_is_read_at_once_however_many_they_are(
    admin: Endpoint, relay: Relay
) -> None:
    names = ("relay_a", "relay_b", "relay_c", "relay_d")
    await admin.save(f"{', '.join(names)}.")
    asked = set[int]()
    for n, name in enumerate(names):
        await admin.save(f"What is first: {n}", entities=[f"Alpha{n}"])
        merged = await admin.tool("merge_entities", {"from": name, "into": f"Alpha{n}"})
        assert merged.success["status"] == "merged"
        async with relay.counted() as traffic:
            found = await admin.tool("search_entities", {"query": "relay"})
        assert len(found.success["proposals"]) == len(names)
        asked.add(traffic.calls["BatchGetDocuments"])
    assert len(asked) == 1


async def test_a_new_name_costs_what_it_is_like(admin: Endpoint, relay: Relay) -> None:
    async def stated(subject: str) -> int:
        given = {"subject_id": subject, "predicate": "is", "object_value": "new"}
        return (await cost(relay, admin, "upsert_fact", **given))[0]

    alone = await stated("pump")
    await admin.state("auth_service", "is", "new")
    spelled, meant, merged, counted = 1, 2, 1, 1
    assert await stated("auth service!") == alone + spelled + meant + merged + counted
