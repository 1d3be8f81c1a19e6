// A factory in discovery. Discovery never calls it.
import type * as Json from "@svc-runtime/domain/Json"
import type { Component, Factory } from "./Factory.ts"

export interface FactoryDetail<Id> {
  readonly id: Id
  readonly name?: string
  readonly description?: string
  readonly db_id: string
  readonly is_factory: true
  readonly is_component: false
  readonly input_schema?: Json.Object
  readonly factory_input_schema?: Json.Object
}

export const make = <C extends Component>(
  { description, id, inputSchema, name }: Factory<C>,
  databaseId: string
): FactoryDetail<C["id"]> => {
  const schema = inputSchema?.jsonSchema as Json.Object | undefined
  return {
    id,
    ...(name === undefined ? {} : { name }),
    ...(description === undefined ? {} : { description }),
    db_id: databaseId,
    is_factory: true,
    is_component: false,
    ...(schema === undefined ? {} : { input_schema: schema, factory_input_schema: schema })
  }
}
