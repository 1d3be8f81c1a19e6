// What the service says that a decision lacks, in words of a command line: a person gives flags.
import * as NameList from "@svc-runtime/domain/NameList"
import type { NeededDecision } from "@svc-runtime/domain/NeededDecision"

const words: Readonly<Record<NeededDecision["kind"], (names: string) => string>> = {
  confirmation: () => "--approve or --reject",
  values: (names) => `values${names === "" ? "" : ` of ${names}`} with --values`,
  choices: (names) => `--choices among ${names}`,
  result: () => "--result TEXT",
  event: () => "--result JSON",
  outcome: () => "--result TEXT, or --approve, which repeats it, or --reject",
  retry: () => "--approve, which tries it again, or --reject, which skips it"
}

/** Undefined for a kind of a later version. */
export const of = ({ kind, name, names }: NeededDecision): string | undefined =>
  Object.hasOwn(words, kind)
    ? `${name} needs ${words[kind](NameList.first(names.map((each) => `'${each}'`)))}`
    : undefined
