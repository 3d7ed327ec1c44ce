// Durations in milliseconds, as every time in the program is. Seconds are for the outside alone: settings and headers.
export const second = 1_000
export const minute = 60 * second
export const hour = 60 * minute
export const day = 24 * hour
export const week = 7 * day
