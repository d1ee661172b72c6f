"""The prompts, in the order in which they are listed."""

from metacortex.transport.mcp.prompt import Prompt
from metacortex.transport.mcp.prompts.briefing import ARCHITECTURE_BRIEFING
from metacortex.transport.mcp.prompts.correction import CORRECT_MEMORY
from metacortex.transport.mcp.prompts.investigation import BUG_INVESTIGATION

PROMPTS: tuple[Prompt, ...] = (ARCHITECTURE_BRIEFING, BUG_INVESTIGATION, CORRECT_MEMORY)
