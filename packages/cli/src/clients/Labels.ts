// How rows of reports look to people.

export const label = (text: string, what: string): string => `  ${text.padEnd(15)}${what}`

/** `~` for the home directory, wherever it stands. */
export const tilde = (home: string, text: string): string => text.replaceAll(home, "~")
