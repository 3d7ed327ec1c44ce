import { expect, test } from 'vitest'
import { emptyHash, signed } from './signature.ts'

const credentials = {
  accessKeyId: 'AKIAIOSFODNN7EXAMPLE',
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
}
const now = new Date('2013-05-24T00:00:00.000Z')

/** The examples of the Amazon S3 documentation. */
test.each<[string, string, Record<string, string>, string]>([
  [
    'a range of an object',
    'test.txt',
    { range: 'bytes=0-9' },
    'f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41',
  ],
  [
    'a parameter without a value',
    '?lifecycle',
    {},
    'fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543',
  ],
  ['a list', '?max-keys=2&prefix=J', {}, '34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7'],
])('the signature of %s is that of the documentation', (_, path, headers, signature) => {
  const url = new URL(`https://examplebucket.s3.amazonaws.com/${path}`)
  const request = { method: 'GET', url, headers, bodyHash: emptyHash }
  expect(signed(request, credentials, 'us-east-1', now).authorization).toContain(`Signature=${signature}`)
})
