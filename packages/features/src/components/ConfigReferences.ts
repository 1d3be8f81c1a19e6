// The components that a config names.
import type { ConfigProblem } from "@svc-runtime/agents/component/ConfigProblem"
import type { AnyComponent } from "@svc-runtime/agents/runService/Components"
import type * as ComponentKind from "@svc-runtime/domain/ComponentKind"
import { Result } from "effect"

export interface Reference {
  readonly kind: ComponentKind.ComponentKind
  readonly id: string
  /** The path in the config. */
  readonly path: ConfigProblem["path"]
}

export const keyOf = ({ id, kind }: Pick<Reference, "id" | "kind">): string => `${kind} '${id}'`

/** The components that references name, by the keys of the references. Components that do not exist are absent. */
export type Children = ReadonlyMap<string, AnyComponent>

/** The component that a reference names, if it is of the expected kind. */
export const childOf = <C extends AnyComponent>(
  children: Children,
  reference: Reference,
  is: (value: unknown) => value is C
): Result.Result<C, ConfigProblem> => {
  const { path } = reference
  const found = children.get(keyOf(reference))
  return is(found) ? Result.succeed(found) : Result.fail({ path, message: `There is no ${keyOf(reference)}` })
}
