"""The tables, as the scripts that made them version by version.

Every table is keyed by tenant; only `clients`, `embedding_spaces` and the store's secret stand at
the root.
"""

APPLICATION_ID = 0x4D437831
"""`MCx1`: what tells our files from other programs' SQLite files."""

_FIRST = """
CREATE TABLE tenants (
    tenant TEXT NOT NULL PRIMARY KEY,
    seq INTEGER NOT NULL,
    generation INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE embedding_spaces (
    key INTEGER PRIMARY KEY,
    model TEXT NOT NULL,
    dimension INTEGER NOT NULL,
    UNIQUE (model, dimension)
) STRICT;

CREATE TABLE memories (
    key INTEGER PRIMARY KEY,
    tenant TEXT NOT NULL,
    id TEXT NOT NULL,
    namespace TEXT NOT NULL,
    kind TEXT NOT NULL,
    content TEXT NOT NULL,
    retrieval_text TEXT,
    topic TEXT NOT NULL,
    tags TEXT NOT NULL,
    session_id TEXT,
    importance REAL NOT NULL,
    entities TEXT NOT NULL,
    branch_state TEXT NOT NULL,
    superseded_by TEXT,
    valid_from INTEGER,
    valid_from_precision TEXT,
    valid_until INTEGER,
    valid_until_precision TEXT,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    recorded_at INTEGER NOT NULL,
    modality TEXT NOT NULL,
    artifact_refs TEXT NOT NULL,
    written_by_client TEXT NOT NULL,
    written_by_person TEXT,
    origin TEXT NOT NULL,
    sources TEXT NOT NULL,
    recalled_from TEXT NOT NULL,
    details TEXT NOT NULL,
    sha256 TEXT NOT NULL,
    sha256_version INTEGER NOT NULL,
    space INTEGER NOT NULL REFERENCES embedding_spaces (key),
    seq INTEGER NOT NULL,
    UNIQUE (tenant, id)
) STRICT;
CREATE INDEX memories_by_seq ON memories (tenant, seq);
CREATE INDEX memories_by_space ON memories (space);

CREATE TABLE vectors (
    memory INTEGER NOT NULL REFERENCES memories (key) ON DELETE CASCADE,
    n INTEGER NOT NULL,
    vector BLOB NOT NULL,
    UNIQUE (memory, n)
) STRICT;

CREATE TABLE changes (
    tenant TEXT NOT NULL,
    seq INTEGER NOT NULL,
    recorded_at INTEGER NOT NULL,
    client TEXT NOT NULL,
    kind TEXT NOT NULL,
    subject_id TEXT NOT NULL,
    before TEXT,
    after TEXT NOT NULL,
    sha256 TEXT NOT NULL,
    PRIMARY KEY (tenant, subject_id, seq)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX changes_by_seq ON changes (tenant, seq);

CREATE TABLE fingerprints (
    tenant TEXT NOT NULL,
    digest TEXT NOT NULL,
    memory_id TEXT NOT NULL,
    first_written_at INTEGER NOT NULL,
    PRIMARY KEY (tenant, digest)
) STRICT, WITHOUT ROWID;
CREATE INDEX fingerprints_by_age ON fingerprints (first_written_at);

CREATE TABLE events (
    key INTEGER PRIMARY KEY,
    tenant TEXT NOT NULL,
    id TEXT NOT NULL,
    type TEXT NOT NULL,
    timestamp INTEGER NOT NULL,
    client_id TEXT NOT NULL,
    status TEXT NOT NULL,
    latency INTEGER NOT NULL,
    tool_name TEXT,
    body TEXT NOT NULL,
    expires_at INTEGER NOT NULL
) STRICT;
CREATE INDEX events_by_time ON events (tenant, timestamp);
CREATE INDEX events_by_expiry ON events (expires_at);

CREATE TABLE clients (
    id TEXT NOT NULL PRIMARY KEY,
    profile TEXT NOT NULL,
    token_sha256 BLOB NOT NULL
) STRICT, WITHOUT ROWID;
"""

_TERMS = """
ALTER TABLE memories ADD COLUMN term_space TEXT;
ALTER TABLE memories ADD COLUMN terms BLOB;
ALTER TABLE memories ADD COLUMN length INTEGER NOT NULL DEFAULT 0;
CREATE INDEX memories_by_term_space ON memories (term_space);
"""

_SECRET = """
CREATE TABLE store_secret (
    key INTEGER PRIMARY KEY CHECK (key = 1),
    secret BLOB NOT NULL
) STRICT;
"""

_ORDER = """
CREATE INDEX memories_by_creation ON memories (tenant, created_at, id);
"""

_USE = """
CREATE TABLE memory_use (
    tenant TEXT NOT NULL,
    memory_id TEXT NOT NULL,
    access_count INTEGER NOT NULL,
    last_accessed_at INTEGER NOT NULL,
    PRIMARY KEY (tenant, memory_id),
    FOREIGN KEY (tenant, memory_id) REFERENCES memories (tenant, id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
"""

_TOKENS = """
ALTER TABLE memories ADD COLUMN tokens INTEGER;
ALTER TABLE memories ADD COLUMN token_counter TEXT;
"""

_FORGOTTEN = """
ALTER TABLE changes ADD COLUMN text_mac TEXT;
ALTER TABLE changes ADD COLUMN memory INTEGER;
CREATE INDEX changes_by_memory ON changes (tenant, seq, memory) WHERE memory IS NOT NULL;
CREATE INDEX changes_by_text ON changes (tenant, text_mac) WHERE text_mac IS NOT NULL;
CREATE INDEX memories_by_replacement ON memories (tenant, superseded_by)
    WHERE superseded_by IS NOT NULL;
CREATE INDEX fingerprints_by_memory ON fingerprints (tenant, memory_id);
"""

_LEAVES = """
ALTER TABLE memories ADD COLUMN salt TEXT NOT NULL DEFAULT '';
ALTER TABLE changes ADD COLUMN memory_sha256 TEXT;
"""

_FACTS = """
CREATE INDEX facts_by_subject ON memories (
    tenant, json_extract(details, '$.subject_id'), json_extract(details, '$.predicate')
) WHERE kind = 'fact';
CREATE INDEX facts_by_object ON memories (tenant, json_extract(details, '$.object_id'))
    WHERE kind = 'fact';
CREATE INDEX facts_by_creation ON memories (tenant, created_at, id) WHERE kind = 'fact';
"""

_DRAWN = """
CREATE INDEX facts_by_sources ON memories (tenant, sources) WHERE kind = 'fact' AND sources <> '[]';
"""

_ENTITIES = """
CREATE TABLE entities (
    tenant TEXT NOT NULL,
    id TEXT NOT NULL,
    namespace TEXT NOT NULL,
    name TEXT NOT NULL,
    folded TEXT NOT NULL,
    type TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    by_hand INTEGER NOT NULL,
    merged_with TEXT,
    PRIMARY KEY (tenant, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX entities_by_name ON entities (tenant, folded);
CREATE INDEX entities_by_merge ON entities (tenant, merged_with) WHERE merged_with IS NOT NULL;

CREATE TABLE entity_keys (
    tenant TEXT NOT NULL,
    key TEXT NOT NULL,
    namespace TEXT NOT NULL,
    entity_id TEXT NOT NULL,
    PRIMARY KEY (tenant, key, namespace, entity_id),
    FOREIGN KEY (tenant, entity_id) REFERENCES entities (tenant, id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
CREATE INDEX entity_keys_by_entity ON entity_keys (tenant, entity_id);

CREATE TABLE mentions (
    tenant TEXT NOT NULL,
    entity_id TEXT NOT NULL,
    memory INTEGER NOT NULL REFERENCES memories (key) ON DELETE CASCADE,
    PRIMARY KEY (tenant, entity_id, memory)
) STRICT, WITHOUT ROWID;
CREATE INDEX mentions_by_memory ON mentions (memory);

CREATE TRIGGER mentions_of_new AFTER INSERT ON memories WHEN NEW.entities <> '[]' BEGIN
    INSERT OR IGNORE INTO mentions (tenant, entity_id, memory)
        SELECT NEW.tenant, value, NEW.key FROM json_each(NEW.entities);
END;
CREATE TRIGGER mentions_of_changed AFTER UPDATE OF entities ON memories BEGIN
    DELETE FROM mentions WHERE memory = NEW.key;
    INSERT OR IGNORE INTO mentions (tenant, entity_id, memory)
        SELECT NEW.tenant, value, NEW.key FROM json_each(NEW.entities);
END;
"""

_ENDS = """
DROP INDEX facts_by_subject;
CREATE INDEX facts_by_subject ON memories (
    tenant,
    json_extract(details, '$.subject_id'),
    json_extract(details, '$.predicate'),
    valid_until
) WHERE kind = 'fact';
"""

_FINDINGS = """
ALTER TABLE changes ADD COLUMN cause TEXT;
CREATE TABLE findings (
    tenant TEXT NOT NULL,
    id TEXT NOT NULL,
    namespace TEXT NOT NULL,
    status TEXT NOT NULL,
    changed_at INTEGER NOT NULL,
    resolution_id TEXT,
    kept_id TEXT NOT NULL,
    given_up_id TEXT NOT NULL,
    body TEXT NOT NULL,
    PRIMARY KEY (tenant, id),
    FOREIGN KEY (tenant, kept_id) REFERENCES memories (tenant, id) ON DELETE CASCADE,
    FOREIGN KEY (tenant, given_up_id) REFERENCES memories (tenant, id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
CREATE INDEX findings_by_status ON findings (tenant, status, changed_at);
CREATE INDEX findings_by_resolution ON findings (tenant, resolution_id)
    WHERE resolution_id IS NOT NULL;
CREATE INDEX findings_by_kept ON findings (tenant, kept_id);
CREATE INDEX findings_by_given_up ON findings (tenant, given_up_id);
"""

_EPISODES = """
CREATE INDEX episodes_by_creation ON memories (tenant, created_at, id) WHERE kind = 'episode';
"""

_NAMES = """
CREATE TABLE entity_vectors (
    tenant TEXT NOT NULL,
    entity_id TEXT NOT NULL,
    namespace TEXT NOT NULL,
    space INTEGER NOT NULL REFERENCES embedding_spaces (key),
    vector BLOB NOT NULL,
    UNIQUE (tenant, entity_id),
    FOREIGN KEY (tenant, entity_id) REFERENCES entities (tenant, id) ON DELETE CASCADE
) STRICT;
CREATE INDEX entity_vectors_by_space ON entity_vectors (tenant, space, namespace);
"""

_NAMES_IN_ORDER = """
CREATE TABLE name_vectors (
    key INTEGER PRIMARY KEY AUTOINCREMENT,
    tenant TEXT NOT NULL,
    entity_id TEXT NOT NULL,
    namespace TEXT NOT NULL,
    space INTEGER NOT NULL REFERENCES embedding_spaces (key),
    vector BLOB NOT NULL,
    UNIQUE (tenant, entity_id),
    FOREIGN KEY (tenant, entity_id) REFERENCES entities (tenant, id) ON DELETE CASCADE
) STRICT;
CREATE INDEX name_vectors_by_space ON name_vectors (tenant, space, namespace);
INSERT INTO name_vectors (tenant, entity_id, namespace, space, vector)
    SELECT tenant, entity_id, namespace, space, vector FROM entity_vectors;
DROP TABLE entity_vectors;
"""

MIGRATIONS: tuple[str, ...] = (
    *(_FIRST, _TERMS, _SECRET, _ORDER, _USE, _TOKENS, _FORGOTTEN),
    *(_LEAVES, _FACTS, _DRAWN, _ENTITIES, _ENDS, _FINDINGS, _EPISODES, _NAMES, _NAMES_IN_ORDER),
)
"""One script for each version, in order. None is edited once released: a change is a new script."""
