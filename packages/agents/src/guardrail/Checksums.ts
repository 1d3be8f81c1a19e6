// Checksums of card numbers, bank accounts and national identity numbers.

const digitsOf = (text: string): ReadonlyArray<number> => [...text.replaceAll(/\D/g, "")].map(Number)

/** Of card numbers (ISO/IEC 7812), which have 13 to 19 digits. */
export const luhn = (text: string): boolean => {
  let [sum, count] = [0, 0]
  for (let place = text.length - 1; place >= 0; place--) {
    const digit = text.charCodeAt(place) - 48
    if (digit < 0 || digit > 9) continue
    const weighted = count % 2 === 1 ? digit * 2 : digit
    sum += weighted > 9 ? weighted - 9 : weighted
    count++
  }
  return count >= 13 && count <= 19 && sum % 10 === 0
}

/** The rest of a number of any length. */
const modulo = (digits: string, by: number): number => {
  let rest = 0
  for (const digit of digits) rest = (rest * 10 + Number(digit)) % by
  return rest
}

/** Characters of an IBAN by country, in which most texts that look like one differ. */
const ibanLengths: Readonly<Record<string, number>> = {
  AD: 24,
  AE: 23,
  AL: 28,
  AT: 20,
  AZ: 28,
  BA: 20,
  BE: 16,
  BG: 22,
  BH: 22,
  BR: 29,
  BY: 28,
  CH: 21,
  CR: 22,
  CY: 28,
  CZ: 24,
  DE: 22,
  DK: 18,
  DO: 28,
  EE: 20,
  EG: 29,
  ES: 24,
  FI: 18,
  FO: 18,
  FR: 27,
  GB: 22,
  GE: 22,
  GI: 23,
  GL: 18,
  GR: 27,
  GT: 28,
  HR: 21,
  HU: 28,
  IE: 22,
  IL: 23,
  IQ: 23,
  IS: 26,
  IT: 27,
  JO: 30,
  KW: 30,
  KZ: 20,
  LB: 28,
  LI: 21,
  LT: 20,
  LU: 20,
  LV: 21,
  MC: 27,
  MD: 24,
  ME: 22,
  MK: 19,
  MR: 27,
  MT: 31,
  MU: 30,
  NL: 18,
  NO: 15,
  PK: 24,
  PL: 28,
  PS: 29,
  PT: 25,
  QA: 29,
  RO: 24,
  RS: 22,
  SA: 24,
  SE: 24,
  SI: 19,
  SK: 24,
  SM: 27,
  TN: 24,
  TR: 26,
  UA: 29,
  VA: 22,
  XK: 20
}

/** Of bank accounts (ISO 13616). */
export const iban = (text: string): boolean => {
  const account = text.replaceAll(/[ -]/g, "").toUpperCase()
  if (ibanLengths[account.slice(0, 2)] !== account.length) return false
  const moved = account.slice(4) + account.slice(0, 4)
  return modulo([...moved].map((character) => String(Number.parseInt(character, 36))).join(""), 97) === 1
}

/** Of German tax numbers (ISO 7064, modulus 11, 10): one or two digits repeat among the first ten. */
export const germanTaxId = (text: string): boolean => {
  const digits = digitsOf(text)
  const first = digits.slice(0, 10)
  const distinct = new Set(first).size
  if (digits.length !== 11 || digits[0] === 0 || (distinct !== 9 && distinct !== 8)) return false
  const product = first.reduce((product, digit) => {
    const sum = (digit + product) % 10
    return ((sum === 0 ? 10 : sum) * 2) % 11
  }, 10)
  return (11 - product) % 10 === digits[10]
}

/** Of French social security numbers. The departments of Corsica have letters. */
export const frenchSocialSecurity = (text: string): boolean => {
  const number = text.replaceAll(" ", "").toUpperCase().replace("2A", "19").replace("2B", "18")
  return number.length === 15 && 97 - modulo(number.slice(0, 13), 97) === Number(number.slice(13))
}

const spanishLetters = "TRWAGMYFPDXBNJZSQVHLCKE"

/** Of Spanish identity numbers of citizens and foreigners. */
export const spanishId = (text: string): boolean => {
  const id = text.replaceAll("-", "").toUpperCase()
  const digits = id.slice(0, -1).replace(/^[XYZ]/, (letter) => String("XYZ".indexOf(letter)))
  return digits.length === 8 && spanishLetters[Number(digits) % 23] === id.at(-1)
}

const italianOdd = [1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23]

/** Of Italian tax codes. */
export const italianTaxCode = (text: string): boolean => {
  const code = text.toUpperCase()
  const placeOf = (character: string) => /\d/.test(character) ? Number(character) : character.charCodeAt(0) - 65
  const sum = Array.from(code.slice(0, 15)).reduce((sum, character, index) => {
    const place = placeOf(character)
    return sum + (index % 2 === 0 ? italianOdd[place] ?? 0 : place)
  }, 0)
  return String.fromCharCode(65 + sum % 26) === code[15]
}

/** Of Brazilian numbers of persons. */
export const brazilianId = (text: string): boolean => {
  const digits = digitsOf(text)
  if (digits.length !== 11 || new Set(digits).size === 1) return false
  const check = (count: number): number => {
    const sum = digits.slice(0, count).reduce((sum, digit, place) => sum + digit * (count + 1 - place), 0)
    return (sum * 10) % 11 % 10
  }
  return check(9) === digits[9] && check(10) === digits[10]
}
