"""What the command line tells of a write beside what it kept."""

from tests.command_line import CommandLine


def test_what_a_write_resembles_is_told_with_what_differs(command_line: CommandLine) -> None:
    first = command_line("remember", "The grant report is due on 3 March.").out.strip()
    ended = command_line("remember", "The grant report is due on 5 March.")
    assert f"It resembles {first} (" in ended.err
    assert ended.err.endswith("), but for date\n")


def test_what_a_new_name_may_mean_is_told(command_line: CommandLine) -> None:
    command_line("upsert-fact", "payment_ledger", "owner", "Ana")
    ended = command_line("upsert-fact", "PaymentLedger", "owner", "Ben")
    assert ended.err.endswith("'PaymentLedger' may be another name of 'payment_ledger'\n")
