// Rows of reports for people.

export const label = (text: string, what: string): string => `  ${text.padEnd(15)}${what}`

/** Writes `~` for the home directory in paths. */
export const tilde = (home: string, text: string): string =>
  home.length < 2 ? text : text.replaceAll(`${home}/`, "~/").replaceAll(`${home}\\`, "~\\")
