// Contents of knowledge and their chunks. Searches read `svc_chunks`, which is narrow: the sign bits of the vectors, and the
// metadata. `svc_chunk_texts` has what is read for few chunks only: whole vectors, and texts with their words. A chunk
// belongs to a generation of a content, and searches find those of the published one.
import { migrationSet } from "@svc-runtime/postgres/sql/MigrationSet"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const tables = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`create sequence svc_content_generations`
  // A folder of a source is a content with `folder`, how its files are stored, and each file has its folder in `folder_id`.
  // `indexed` is the generation whose chunks are in the index of vectors.
  yield* sql`
    create table svc_contents (
      seq bigint generated always as identity primary key,
      instance text collate "C" not null,
      content_id text collate "C" not null,
      user_id text collate "C",
      name text collate "C",
      description text,
      type text collate "C",
      size bigint check (size between 0 and 9007199254740991),
      metadata jsonb,
      origin text,
      digest text,
      status text collate "C" not null,
      status_message text,
      done integer check (done >= 0),
      total integer check (total >= 0),
      generation bigint not null check (generation between 1 and 9007199254740991),
      published bigint check (published between 1 and generation),
      created_at bigint not null check (created_at between 0 and 253402300799),
      updated_at bigint not null check (updated_at between 0 and 253402300799),
      folder jsonb,
      folder_id text collate "C",
      indexed bigint,
      unique (instance, content_id)
    )`
  yield* sql`create index svc_contents_created on svc_contents (instance, created_at, seq)`
  yield* sql`create index svc_contents_updated on svc_contents (instance, updated_at, seq)`
  yield* sql`create index svc_contents_by_user on svc_contents (instance, user_id, created_at, seq)`
  yield* sql`create index svc_contents_processed on svc_contents (updated_at) where status = 'processing'`
  yield* sql`create index svc_contents_folders on svc_contents (instance, updated_at) where folder is not null`
  yield* sql`
    create index svc_contents_in_folders on svc_contents (instance, folder_id, content_id)
    where folder_id is not null`
  yield* sql`
    create index svc_contents_unindexed on svc_contents (instance, seq)
    where published is not null and indexed is distinct from published`
  yield* sql`
    create table svc_content_bodies (
      content_seq bigint not null references svc_contents (seq) on delete cascade,
      place integer not null,
      bytes bytea not null,
      primary key (content_seq, place)
    )`
  // Uploads are compressed already.
  yield* sql`alter table svc_content_bodies alter column bytes set storage external`
  // Removals of all contents of an instance, or of all of a user: nothing of them is visible from the moment their row is
  // stored, and the contents are removed in pieces. Contents that are uploaded afterwards have a higher number.
  yield* sql`
    create table svc_content_removals (
      last_seq bigint primary key,
      instance text collate "C" not null,
      user_id text collate "C",
      removed_at bigint not null
    )`

  // The model of the vectors of each instance. Contents that were published before `since` have vectors of another model:
  // searches by meaning find them once they are embedded again.
  yield* sql`
    create table svc_knowledge_models (
      instance text collate "C" primary key,
      model text,
      dimensions integer,
      since bigint not null default 0,
      check ((model is null) = (dimensions is null))
    )`
  yield* sql`
    create table svc_chunks (
      chunk_no bigint generated always as identity primary key,
      content_seq bigint not null,
      generation bigint not null,
      place integer not null check (place >= 0),
      metadata jsonb not null,
      signs bit varying,
      unique (content_seq, generation, place)
    )`
  // The parser finds up to three words where one is written, and the words of one value have at most 1 MB.
  yield* sql`
    create table svc_chunk_texts (
      chunk_no bigint primary key,
      chunk_id text not null,
      name text,
      text text not null,
      size integer not null check (size >= 0),
      vector bytea,
      words tsvector generated always as (to_tsvector('simple', left(text, 65536))) stored
    )`
  // Numbers of vectors do not compress.
  yield* sql`alter table svc_chunk_texts alter column vector set storage external`
  yield* sql`create index svc_chunk_texts_words on svc_chunk_texts using gin (words)`

  // A change that makes chunks unreachable marks their content. They are removed in pieces later.
  yield* sql`create sequence svc_dead_chunk_marks`
  yield* sql`
    create table svc_dead_chunks (
      content_seq bigint primary key,
      mark bigint not null default nextval('svc_dead_chunk_marks')
    )`
  yield* sql`create index svc_dead_chunks_marked on svc_dead_chunks (mark)`
  yield* sql`
    create function svc_mark_dead_chunks() returns trigger language plpgsql as $$
    begin
      insert into svc_dead_chunks (content_seq) values (old.seq)
      on conflict (content_seq) do update set mark = excluded.mark;
      return null;
    end $$`
  yield* sql`
    create function svc_mark_chunks_of_gone_contents() returns trigger language plpgsql as $$
    begin
      insert into svc_dead_chunks (content_seq) select seq from gone order by seq
      on conflict (content_seq) do update set mark = excluded.mark;
      return null;
    end $$`
  yield* sql`
    create trigger svc_contents_superseded after update of generation, published, status on svc_contents for each row
    when (
      old.generation <> new.generation
      or old.published is distinct from new.published and old.published is not null
      or new.status <> 'processing' and new.published is distinct from new.generation
    )
    execute function svc_mark_dead_chunks()`
  yield* sql`
    create trigger svc_contents_gone after delete on svc_contents
    referencing old table as gone for each statement execute function svc_mark_chunks_of_gone_contents()`

  // Indexes of the signs of vectors, for servers with pgvector. An index is a table beside the chunks,
  // `svc_vectors_<number>`, because a table with an index of a missing extension cannot be read. A content is indexed as a
  // whole, or compared without the index. `chunks` and `removed` count the chunks that an index has and those that were
  // removed from it: the embedded database makes an index anew from which more were removed than it has.
  yield* sql`
    create table svc_vector_indexes (
      index_no integer generated always as identity primary key,
      instance text collate "C" not null unique,
      model text not null,
      dimensions integer not null check (dimensions > 0),
      chunks bigint not null default 0,
      removed bigint not null default 0
    )`
  // Chunks that were removed, and may be in an index.
  yield* sql`
    create table svc_dead_vectors (
      chunk_no bigint primary key,
      content_seq bigint not null,
      generation bigint not null,
      place integer not null
    )`
})

export const knowledge = migrationSet("knowledge", [["tables", tables]])
