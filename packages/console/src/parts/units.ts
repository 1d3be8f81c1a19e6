// Amounts as people write them.

/** US dollars, with as many digits as small amounts need: `$0.0050`, `$1.20`. */
export const money = (value: number): string => {
  const digits = value > 0 && value < 1 ? 4 : 2
  return `$${value.toLocaleString(undefined, { minimumFractionDigits: digits, maximumFractionDigits: digits })}`
}

const units = ["bytes", "KB", "MB", "GB", "TB"]

/** `812 bytes`, `1.4 MB`. */
export const bytes = (count: number): string => {
  const power = count < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(count) / 3))
  const amount = count / 1000 ** power
  return `${amount.toLocaleString(undefined, { maximumFractionDigits: amount < 10 && power > 0 ? 1 : 0 })} ${
    units[power]
  }`
}
