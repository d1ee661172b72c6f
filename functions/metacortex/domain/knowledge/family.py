"""A family: an entity under all of its names, told or hidden."""

from dataclasses import dataclass

from metacortex.domain.knowledge.entity import Entity


@dataclass(frozen=True, slots=True)
class Family:
    """An entity with all that was merged into it."""

    entity: Entity
    merged: tuple[Entity, ...] = ()
    hidden: frozenset[str] = frozenset()
    """The ids of those whose names are not told."""

    @property
    def ids(self) -> tuple[str, ...]:
        """Under which memories and facts name it."""
        return (self.entity.id, *(each.id for each in self.merged))

    @property
    def told(self) -> tuple[Entity, ...]:
        """Those whose names are told: the entity, and the others by their names."""
        others = sorted(self.merged, key=lambda each: each.name)
        return tuple(each for each in (self.entity, *others) if each.id not in self.hidden)

    @property
    def named(self) -> Entity:
        """That by whose name it is called: the entity, or the first whose name is told."""
        return self.told[0] if self.told else self.entity

    @property
    def aliases(self) -> tuple[str, ...]:
        """Its other names, in order."""
        return tuple(each.name for each in self.told[1:])

    @property
    def is_by_hand(self) -> bool:
        """Whether somebody has given it one of its names."""
        return any(each.by_hand for each in self.merged)

    @property
    def mentioned(self) -> tuple[str, ...]:
        """The ids of those, where it has several names, that only what mentions them tells of."""
        others = [each.id for each in self.merged if not each.by_hand]
        return (self.entity.id, *others) if self.merged else ()
