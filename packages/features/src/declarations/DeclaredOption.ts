// An option of the application that declares resources of a feature, checked when it is given, as the options of
// components are.
import { Mistake } from "@svc-runtime/engine/userCode/Mistake"
import * as AuthorOptions from "@svc-runtime/engine/userCode/Options"

/**
 * What an application declares and the service stores, so that it needs no requests. Each feature that stores some of
 * it adds its list, beside its record.
 */
export interface Declarable {}

type KeyOf<A> = A extends unknown ? keyof A : never

type Of<Name extends keyof Declarable> = NonNullable<Declarable[Name]>[number]

/** What an option can have, and which feature stores its resources. */
interface Rules<Declaration> {
  /** Begins messages about one of them, such as `The webhook`. */
  readonly label: string
  readonly kinds: AuthorOptions.Kinds<KeyOf<Declaration>>
  /** Throws for what the kinds do not refuse. */
  readonly check?: (owner: string, declared: Declaration) => void
}

export interface DeclaredOption {
  readonly option: keyof Declarable
  /** Throws for options that are no options of a declaration, and for values of another kind. */
  readonly check: (declarable: Declarable) => void
}

export const make = <Name extends keyof Declarable>(
  option: Name,
  { check, kinds, label }: Rules<Of<Name>>
): DeclaredOption => ({
  option,
  check: ({ [option]: list = [] }) => {
    for (const [index, declared] of (list as ReadonlyArray<Of<Name>>).entries()) {
      const owner = AuthorOptions.ownerOf(label, declared, "name")
      AuthorOptions.check(owner, declared, kinds)
      if ((declared as { readonly name?: string }).name === undefined) {
        throw new Mistake(`${option}[${index}] has no name. Give it one: it identifies the resource`)
      }
      check?.(owner, declared)
    }
  }
})
