// Durations in milliseconds, the unit of all times in the program. Only settings and headers use seconds.
export const second = 1_000
export const minute = 60 * second
export const hour = 60 * minute
export const day = 24 * hour
export const week = 7 * day
