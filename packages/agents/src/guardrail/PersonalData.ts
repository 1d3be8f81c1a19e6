// Patterns of personal data. Numbers with a checksum count only if it is right.
import * as Checksums from "./Checksums.ts"
import type { Pattern } from "./Finding.ts"

const countOf = (text: string): number => text.replaceAll(/\D/g, "").length

/** International numbers, and national ones in their common groups. Dates and order numbers have other groups. */
const isPhone = (text: string): boolean => {
  if (/^(?:\+|00)[1-9]/.test(text)) return countOf(text) >= 8 && countOf(text) <= 15
  if (/^(?:1[ .-]?)?\(?[2-9]\d{2}\)?[ .-]?\d{3}[ .-]\d{4}$/.test(text)) return true
  return /^\(?0[1-9]/.test(text) && /[ ()/.-]/.test(text) && countOf(text) >= 9 && countOf(text) <= 12 &&
    !/^0?\d\.0?\d\.\d+$/.test(text)
}

/** Cards of American Express have 15 digits. */
const isCard = (text: string): boolean => Checksums.luhn(text) && (!/^3[47]/.test(text) || countOf(text) === 15)

const emails: ReadonlyArray<Pattern> = [{
  type: "email",
  pattern: /(?<![\w.%+-])[\w.%+-]{1,64}@(?:[\p{L}\p{N}-]{1,63}\.){1,8}\p{L}{2,24}/gu
}]

const phones: ReadonlyArray<Pattern> = [{
  type: "phone",
  pattern: /(?<![\w.+/-])(?:\+|\(|(?<!\d )(?:00)?)\d[\d ()./-]{5,20}\d(?![\w-])/g,
  isValid: isPhone
}]

const cards: ReadonlyArray<Pattern> = [{
  type: "card",
  pattern: /(?<![\d.-])(?=[3-6]|2[2-7])\d(?:[ -]?\d){12,18}(?![\d-])/g,
  isValid: isCard
}]

const ibans: ReadonlyArray<Pattern> = [{
  type: "iban",
  pattern: /(?<![a-z\d])[a-z]{2}\d{2}(?:[ -]?[a-z\d]{4}){2,7}(?:[ -]?[a-z\d]{1,3})?(?![a-z\d])/gi,
  isValid: Checksums.iban
}]

const nationalIds: ReadonlyArray<Pattern> = [
  // United States
  { pattern: /(?<![\d-])(?!000|666|9)\d{3}(?: (?!00)\d{2} |-(?!00)\d{2}-)(?!0000)\d{4}(?![\d-])/g },
  // United Kingdom
  {
    pattern:
      /(?<![A-Z\d])(?!BG|GB|NK|KN|TN|NT|ZZ)[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z] ?\d{2} ?\d{2} ?\d{2} ?[A-D](?![A-Z\d])/gi
  },
  // Germany
  { pattern: /(?<![\d.-])\d{2} ?\d{3} ?\d{3} ?\d{3}(?![\d-])/g, isValid: Checksums.germanTaxId },
  // France
  {
    pattern: /(?<!\d)[12] ?\d{2} ?(?:0[1-9]|1[0-2]) ?(?:\d{2}|2[AB]) ?\d{3} ?\d{3} ?\d{2}(?!\d)/gi,
    isValid: Checksums.frenchSocialSecurity
  },
  // Spain
  { pattern: /(?<![A-Z\d])(?:\d{8}|[XYZ]\d{7})-?[A-Z](?![A-Z\d])/gi, isValid: Checksums.spanishId },
  // Italy
  {
    pattern: /(?<![A-Z\d])[A-Z]{6}\d{2}[A-EHLMPRST]\d{2}[A-Z]\d{3}[A-Z](?![A-Z\d])/gi,
    isValid: Checksums.italianTaxCode
  },
  // Brazil
  { pattern: /(?<![\d.])\d{3}\.\d{3}\.\d{3}-\d{2}(?!\d)/g, isValid: Checksums.brazilianId }
].map((pattern): Pattern => ({ type: "national_id", ...pattern }))

export const byType = { email: emails, phone: phones, card: cards, iban: ibans, national_id: nationalIds } as const

export type Type = keyof typeof byType

export const types = Object.keys(byType) as ReadonlyArray<Type>
