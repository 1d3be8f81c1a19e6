// Colours, or none, decided once per stream. The codes are literals here because the catalog uses them and must load
// nothing else.

export interface Style {
  readonly bold: (text: string) => string
  readonly dim: (text: string) => string
  readonly red: (text: string) => string
  readonly green: (text: string) => string
  readonly magenta: (text: string) => string
  readonly cyan: (text: string) => string
}

const paint = (on: number, off: number) => (text: string) => `\u001B[${on}m${text}\u001B[${off}m`

const coloured: Style = {
  bold: paint(1, 22),
  dim: paint(2, 22),
  red: paint(31, 39),
  green: paint(32, 39),
  magenta: paint(35, 39),
  cyan: paint(36, 39)
}

const same = (text: string) => text

const plain: Style = { bold: same, dim: same, red: same, green: same, magenta: same, cyan: same }

export const style = (colour: boolean): Style => colour ? coloured : plain
