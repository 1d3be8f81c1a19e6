// Names in a sentence.

/** `a, b and 3 more`: the first names of a list that may be long. */
export const first = (names: ReadonlyArray<string | number>, most = 10): string =>
  names.slice(0, most).join(", ") + (names.length > most ? ` and ${names.length - most} more` : "")

/** `a, b and c` */
export const all = (names: ReadonlyArray<string>, last: "and" | "or" = "and"): string =>
  names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} ${last} ${names.at(-1)}`
