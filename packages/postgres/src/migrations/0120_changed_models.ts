// Contents that were published before the model of their instance was changed have vectors of another one: searches by
// meaning do not find them until they are embedded again.
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default SqlClient.SqlClient.use((sql) =>
  Effect.asVoid(sql`alter table svc_knowledge_models add column since bigint not null default 0`)
)
