"""What a server does on a bad disk, a bad file or a taken port."""

import os
import socket
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from metacortex.engines import DATABASE_NAME
from tests.command_line import run_process
from tests.e2e import stored
from tests.e2e.disks import fill, make_read_only, small_disk
from tests.e2e.forked_servers import zygote
from tests.world import environment

pytestmark = pytest.mark.e2e


async def test_a_full_disk_refuses_writes_keeps_reading_and_recovers(tmp_path: Path) -> None:
    long = " ".join(f"lamp{number} hangs over bench{number}." for number in range(20_000))
    with small_disk(tmp_path / "disk", 8) as disk, zygote(disk) as forked:
        async with forked.start().endpoint() as endpoint:
            kept = await endpoint.save("The lamp over the bench flickers.")
            filler = fill(disk)

            code, sentence = (await endpoint.tool("remember_context", {"content": long})).failure
            assert code == "unavailable"
            assert sentence == (
                "The memory store did not answer: its disk is full; nothing was saved"
            )
            assert await endpoint.item(kept["id"]) == kept
            assert kept["id"] in await endpoint.found("flickering lamp over the bench")

            filler.unlink()
            written = await endpoint.remember(long)
            assert written["write_status"] == "created"
            assert written["item"]["id"] in await endpoint.found("lamp19999 hangs over bench19999")
        whole = stored.read(disk)
        whole.assert_whole()
        assert set(whole.memory_by_id) == {kept["id"], written["item"]["id"]}


def test_a_disk_that_is_full_at_the_start_is_named_with_its_remedy(tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk", 1) as disk:
        fill(disk)
        assert "full" in _only_message(disk, "METACORTEX_DATA_DIR")


def test_a_read_only_disk_is_named_with_its_remedy(tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk", 1) as disk:
        make_read_only(disk)
        assert str(disk) in _only_message(disk, "METACORTEX_DATA_DIR")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write to any folder")
def test_a_folder_of_somebody_else_is_named_with_its_remedy(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    folder.mkdir(mode=0o500)
    assert str(folder) in _only_message(folder, "METACORTEX_DATA_DIR")


async def test_a_damaged_database_is_named_with_its_remedy(tmp_path: Path) -> None:
    data_dir = tmp_path / "data"
    with zygote(data_dir) as forked:
        server = forked.start()
        async with server.endpoint() as endpoint:
            for number in range(20):
                await endpoint.save(f"Lamp {number} hangs over the bench.")
        forked.kill(server)
    database = data_dir / DATABASE_NAME
    with closing(sqlite3.connect(database)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    size = database.stat().st_size
    with database.open("r+b") as file:
        file.seek(4096)
        file.write(b"\xa5" * (size - 8192))
    assert "damaged" in _only_message(data_dir, "METACORTEX_DATA_DIR")
    assert database.stat().st_size == size


@pytest.mark.parametrize("content", [b"Not a database at all. " * 500, b""], ids=["text", "sqlite"])
def test_another_programs_file_is_named_and_left_alone(content: bytes, tmp_path: Path) -> None:
    data_dir = tmp_path / "data"
    data_dir.mkdir()
    database = data_dir / DATABASE_NAME
    if content:
        database.write_bytes(content)
    else:
        with closing(sqlite3.connect(database)) as connection:
            connection.execute("CREATE TABLE bookmarks (address TEXT)")
    before = database.read_bytes()
    assert "move it away" in _only_message(data_dir, "METACORTEX_DATA_DIR")
    assert database.read_bytes() == before


def test_a_port_in_use_is_named_with_its_setting(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        message = _only_message(tmp_path / "data", "PORT", PORT=port)
    assert f"Port {port}" in message
    assert not (tmp_path / "data").exists()


def _only_message(data_dir: Path, setting: str, **more: str) -> str:
    """Return the one line that a start says before it gives up, held to name a setting."""
    ended = run_process(data_dir, "serve", **environment(PORT="0") | more)
    assert (ended.status, ended.out) == (1, ""), ended
    (line,) = ended.err.splitlines()
    assert setting in line
    assert "Traceback" not in line
    return line
