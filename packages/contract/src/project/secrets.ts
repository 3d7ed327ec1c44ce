// Finds files of a site that look like secrets. Clients name them before the upload, but upload them.
import { readSmall, type SiteFiles } from './files.ts'

/** Nobody would read a longer list. */
const mostNamed = 20

const environmentFile = /^\.env(?:rc|\..+)?$/
const example = /\.(?:example|sample|template|dist)$/i
const credentialFile = /^\.(?:netrc|pgpass|htpasswd|git-credentials)$|\.(?:p12|pfx|jks|keystore)$/i
/** Such files may also hold a public key, a certificate or a presentation. */
const mayBePrivateKey = /^id_(?:rsa|dsa|ecdsa|ed25519)$|\.(?:pem|key)$/i

/** A sentence for each file that looks like a secret. */
export async function nameSecrets(site: SiteFiles): Promise<string[]> {
  const sentences: string[] = []
  let unnamed = 0
  for (const path of site.paths()) {
    // Packages contain certificates and keys for their own tests.
    if (/(?:^|\/)node_modules\//.test(path) || !(await isSecret(site, path))) continue
    if (sentences.length < mostNamed)
      sentences.push(`${path} is part of the upload. Keep secrets out of what you deploy.`)
    else unnamed += 1
  }
  if (unnamed > 0) sentences.push(`${unnamed} more files of the upload look like secrets.`)
  return sentences
}

async function isSecret(site: SiteFiles, path: string): Promise<boolean> {
  const name = path.slice(path.lastIndexOf('/') + 1)
  if (example.test(name)) return false
  if (environmentFile.test(name) || credentialFile.test(name)) return true
  return mayBePrivateKey.test(name) && ((await readSmall(site, path))?.includes('PRIVATE KEY-----') ?? false)
}
