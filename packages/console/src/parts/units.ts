// Amounts as people write them.

/** US dollars: `$0.0042`, `$1.20`. */
export const money = (value: number): string =>
  `$${value.toLocaleString(undefined, { minimumFractionDigits: 2, maximumFractionDigits: value < 1 ? 4 : 2 })}`

const units = ["bytes", "KB", "MB", "GB", "TB"]

/** `812 bytes`, `1.4 MB`. */
export const bytes = (count: number): string => {
  const power = count < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(count) / 3))
  const amount = count / 1000 ** power
  return `${amount.toLocaleString(undefined, { maximumFractionDigits: amount < 10 && power > 0 ? 1 : 0 })} ${
    units[power]
  }`
}
