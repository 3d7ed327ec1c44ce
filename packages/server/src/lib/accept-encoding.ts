// Parses Accept-Encoding (RFC 9110, 12.5.3).

/** The weight of a coding, from 0 (refused) to 1. `undefined` if neither the coding nor `*` is listed. */
type CodingWeights = (coding: string) => number | undefined

const weightForm = /^(?:0(?:\.\d*)?|1(?:\.0*)?)$/

export function readAcceptEncoding(header: string): CodingWeights {
  const weights = new Map<string, number>()
  for (const item of header.toLowerCase().split(',')) {
    const [name = '', ...parameters] = item.split(';').map(part => part.trim())
    if (name === '') continue
    const q = parameters.find(parameter => parameter.startsWith('q='))?.slice(2)
    const weight = q === undefined ? 1 : weightForm.test(q) ? Number(q) : 0
    weights.set(name === 'x-gzip' ? 'gzip' : name, weight)
  }
  return coding => weights.get(coding) ?? weights.get('*')
}
