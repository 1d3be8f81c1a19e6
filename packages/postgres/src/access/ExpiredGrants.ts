// The removal of expired clients, requests and tokens of OAuth. The tokens of a grant go with it.
import type { SqlClient } from "effect/sql"

/** Of one statement. */
const maxRows = 500
const maxGrants = 50

export const make = (sql: SqlClient.SqlClient) => () =>
  sql`
    with clients as (
      delete from svc_oauth_clients where ctid = any(array(
        select ctid from svc_oauth_clients where expires_at <= extract(epoch from now())::bigint
          limit ${maxRows} for update skip locked
      )) returning 1
    ), requests as (
      delete from svc_oauth_requests where ctid = any(array(
        select ctid from svc_oauth_requests where expires_at <= extract(epoch from now())::bigint
          limit ${maxRows} for update skip locked
      )) returning 1
    ), grants as (
      delete from svc_oauth_grants where ctid = any(array(
        select ctid from svc_oauth_grants where expires_at <= extract(epoch from now())::bigint
          limit ${maxGrants} for update skip locked
      )) returning id
    ), tokens as (
      delete from svc_oauth_tokens where ctid = any(array(
        select t.ctid from svc_oauth_tokens t where t.expires_at <= extract(epoch from now())::bigint
          and not exists (select from grants where grants.id = t.grant_id)
        limit ${maxRows} for update of t skip locked
      )) returning 1
    )
    select ((select count(*) from clients) + (select count(*) from requests) + (select count(*) from grants) +
      (select count(*) from tokens))::int as count`
