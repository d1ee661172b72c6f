"""All services of one program, as the transports and the command line receive them."""

from dataclasses import dataclass

from metacortex.ports import Clock
from metacortex.service.activity import Activity
from metacortex.service.clients import ClientService
from metacortex.service.consolidation import ConsolidationService
from metacortex.service.contexts import ContextService
from metacortex.service.contradictions import ContradictionService
from metacortex.service.entities import EntityService
from metacortex.service.facts import FactService
from metacortex.service.findings import FindingService
from metacortex.service.forgetting import ForgettingService
from metacortex.service.integrity import IntegrityService
from metacortex.service.knowledge import KnowledgeService
from metacortex.service.listing import ListingService
from metacortex.service.maintenance import MaintenanceService
from metacortex.service.memories import MemoryService
from metacortex.service.merging import MergeService
from metacortex.service.proposing import Proposing
from metacortex.service.search import SearchService
from metacortex.service.snapshots import SnapshotService
from metacortex.service.sources import SourceService
from metacortex.service.stats import StatsService


@dataclass(frozen=True, slots=True)
class Services:
    """The use cases, sharing one store and a clock, from which relative dates are told."""

    memories: MemoryService
    searches: SearchService
    listings: ListingService
    contexts: ContextService
    consolidation: ConsolidationService
    forgetting: ForgettingService
    facts: FactService
    knowledge: KnowledgeService
    snapshots: SnapshotService
    contradictions: ContradictionService
    findings: FindingService
    stats: StatsService
    integrity: IntegrityService
    sources: SourceService
    activity: Activity
    clients: ClientService
    entities: EntityService
    proposing: Proposing
    merging: MergeService
    maintenance: MaintenanceService
    clock: Clock
