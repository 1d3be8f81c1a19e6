// Why a socket is closed: RFC 6455 §7.4.1, and one that is registered with the IANA.

export const goingAway = 1001
export const invalidData = 1007
export const policyViolation = 1008
export const tooLarge = 1009
export const tryAgainLater = 1013

/** Bytes that a close frame has for its reason (RFC 6455 §5.5). */
export const maxReasonLength = 123
