// How rows of reports look to people.

export const label = (text: string, what: string): string => `  ${text.padEnd(15)}${what}`

/** `~` for the home directory, wherever a path in it is named. */
export const tilde = (home: string, text: string): string =>
  home.length < 2 ? text : text.replaceAll(`${home}/`, "~/").replaceAll(`${home}\\`, "~\\")
