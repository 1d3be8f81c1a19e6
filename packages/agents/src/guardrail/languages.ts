// The languages that texts are recognized in, by their codes of ISO 639-1, with those of ISO 639-3.
import { Mistake } from "@svc-runtime/engine/userCode/Mistake"

const codes = {
  am: "amh",
  ar: "arb",
  az: "azj",
  be: "bel",
  bg: "bul",
  bn: "ben",
  bs: "bos",
  cs: "ces",
  de: "deu",
  el: "ell",
  en: "eng",
  es: "spa",
  fa: "pes",
  fr: "fra",
  gu: "guj",
  ha: "hau",
  hi: "hin",
  hr: "hrv",
  hu: "hun",
  id: "ind",
  ig: "ibo",
  it: "ita",
  ja: "jpn",
  jv: "jav",
  kk: "kaz",
  kn: "kan",
  ko: "kor",
  mg: "plt",
  ml: "mal",
  mr: "mar",
  ms: "zlm",
  my: "mya",
  ne: "npi",
  nl: "nld",
  ny: "nya",
  pa: "pan",
  pl: "pol",
  ps: "pbu",
  pt: "por",
  ro: "ron",
  ru: "rus",
  rw: "kin",
  si: "sin",
  so: "som",
  sr: "srp",
  su: "sun",
  sv: "swe",
  sw: "swh",
  ta: "tam",
  te: "tel",
  th: "tha",
  tl: "tgl",
  tr: "tur",
  uk: "ukr",
  ur: "urd",
  uz: "uzn",
  vi: "vie",
  yo: "yor",
  zh: "cmn",
  zu: "zul"
} as const

export type Language = keyof typeof codes

/** Throws for a code that is not recognized. */
export const codeOf = (language: Language): string => {
  const code: string | undefined = codes[language]
  if (code !== undefined) return code
  throw new Mistake(
    `Guardrail.language: the language '${language}' is not recognized. Use one of ${Object.keys(codes).join(", ")}`
  )
}
