/** A text of a server without characters that change how a log or a page shows it. */
export const printable = (text: string): string => text.replaceAll(/[\p{Cc}\p{Cf}]/gu, " ").toWellFormed()
