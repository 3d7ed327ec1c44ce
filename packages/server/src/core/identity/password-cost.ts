// What one hash of a password costs with scrypt: 32 MB of memory and about a tenth of a second. Tests lower it, because they
// hash thousands of passwords, and none of them is a secret.
export const passwordCost = { N: 2 ** 15, r: 8, p: 1 }
