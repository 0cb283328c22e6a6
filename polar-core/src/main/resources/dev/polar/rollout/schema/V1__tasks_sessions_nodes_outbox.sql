-- Plain SQL that H2 and PostgreSQL both take. Times are epoch seconds.

create table tasks (
    task_id         varchar(200)     not null primary key,
    state           varchar(16)      not null,
    harness         varchar(1000)    not null,
    model           varchar(1000),
    num_samples     integer          not null,
    priority        integer          not null,
    early_stop      integer,
    timeout_seconds double precision not null,
    callback_url    varchar(8000),
    source          varchar(1000)    not null,
    request         text             not null,
    created_at      double precision not null,
    updated_at      double precision not null,
    finished_at     double precision
);

create index tasks_by_age on tasks (created_at);

-- One row for each attempt of a sample. place: pending, sending (a node may have it), placed (a node has it), finished, lost, withdrawn.
create table sessions (
    session_id    varchar(200)     not null primary key,
    task_id       varchar(200)     not null references tasks (task_id) on delete cascade,
    sample        integer          not null,
    attempt       integer          not null,
    place         varchar(16)      not null,
    status        varchar(16)      not null,
    priority      integer          not null,
    node_id       varchar(1000),
    lease_owner   varchar(200),
    lease_until   double precision,
    created_at    double precision not null,
    not_before    double precision not null,
    sent_at       double precision,
    init_at       double precision,
    deadline      double precision,
    refusals      integer          not null,
    finished_at   double precision,
    reward        double precision,
    traces        integer          not null,
    completions   integer          not null,
    usable        boolean          not null,
    error         text,
    result_path   varchar(8000),
    result_inline text,
    unique (task_id, sample, attempt)
);

create index sessions_by_place on sessions (place, priority, created_at);
create index sessions_by_node on sessions (node_id, place);

create table nodes (
    node_id                    varchar(1000)    not null primary key,
    gateway_url                varchar(8000)    not null,
    max_init_workers           integer          not null,
    max_run_workers            integer          not null,
    max_postrun_workers        integer          not null,
    heartbeat_interval_seconds double precision not null,
    metrics                    text             not null,
    draining                   boolean          not null,
    stale                      boolean          not null,
    last_heartbeat             double precision not null
);

-- Callbacks that are owed. place: due, done, given_up.
create table outbox (
    task_id     varchar(200)     not null primary key references tasks (task_id) on delete cascade,
    url         varchar(8000)    not null,
    place       varchar(16)      not null,
    tries       integer          not null,
    refusals    integer          not null,
    next_at     double precision not null,
    give_up_at  double precision not null,
    last_error  text,
    lease_owner varchar(200),
    lease_until double precision
);

create index outbox_by_time on outbox (place, next_at);

-- Tasks that were cancelled before they were submitted.
create table tombstones (
    task_id varchar(200)     not null primary key,
    until   double precision not null
);
