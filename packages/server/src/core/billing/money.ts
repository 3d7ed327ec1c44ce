// Amounts as people read them.
export const inEuros = (cents: number): string => `€${(cents / 100).toFixed(2)}`
