// The difference of two session states as a JSON Patch (RFC 6902). Values of the outermost keys are replaced whole.
import type * as Json from "@svc-runtime/domain/Json"

export type Operation =
  | { readonly op: "add" | "replace"; readonly path: string; readonly value: Json.Value }
  | { readonly op: "remove"; readonly path: string }

const pathOf = (key: string): string => `/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`

export const between = (before: Json.Object, after: Json.Object): ReadonlyArray<Operation> => [
  ...Object.keys(before).filter((key) => !Object.hasOwn(after, key)).map((key) =>
    ({ op: "remove", path: pathOf(key) }) as const
  ),
  ...Object.entries(after).flatMap(([key, value]): ReadonlyArray<Operation> => {
    if (!Object.hasOwn(before, key)) return [{ op: "add", path: pathOf(key), value }]
    return JSON.stringify(before[key]) === JSON.stringify(value) ? [] : [{ op: "replace", path: pathOf(key), value }]
  })
]
