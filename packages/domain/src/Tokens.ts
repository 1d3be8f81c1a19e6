// An estimate of tokens, where no model has counted them: about four characters make one.

const charactersPerToken = 4

/** How many characters the tokens have. */
export const charactersOf = (tokens: number): number => tokens * charactersPerToken

/** How many tokens this many characters are. */
export const tokensOf = (characters: number): number => Math.ceil(characters / charactersPerToken)
