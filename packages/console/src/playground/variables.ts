// Variables of a message are written as {{name}}.

const variable = /\{\{\s*([A-Za-z_]\w*)\s*\}\}/g

export const variablesIn = (text: string): ReadonlyArray<string> => [
  ...new Set([...text.matchAll(variable)].map(([, name = ""]) => name))
]

export const filled = (text: string, values: Readonly<Record<string, string>>): string =>
  text.replaceAll(variable, (whole, name: string) => values[name] ?? whole)
