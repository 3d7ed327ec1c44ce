// Finds files of a site that look like secrets. Clients name them before the upload; svc offers to leave them out.
import { readSmall, type SiteFiles } from './files.ts'

/** Nobody would read a longer list. */
const mostNamed = 20

const environmentFile = /^\.env(?:rc|\..+)?$/
const example = /\.(?:example|sample|template|dist)$/i
const credentialFile = /^\.(?:netrc|pgpass|htpasswd|git-credentials)$|\.(?:p12|pfx|jks|keystore)$/i
/** Such files may also hold a public key, a certificate or a presentation. */
const mayBePrivateKey = /^id_(?:rsa|dsa|ecdsa|ed25519)$|\.(?:pem|key)$/i

/** The paths that look like secrets, in the order of the site. */
export async function findSecrets(site: SiteFiles): Promise<string[]> {
  const found: string[] = []
  // Packages contain certificates and keys for their own tests.
  for (const path of site.paths())
    if (!/(?:^|\/)node_modules\//.test(path) && (await isSecret(site, path))) found.push(path)
  return found
}

/** A sentence for each of these paths. */
export function nameSecrets(secrets: readonly string[]): string[] {
  const sentences = secrets
    .slice(0, mostNamed)
    .map(path => `${path} is part of the upload. Keep secrets out of what you deploy.`)
  const unnamed = secrets.length - sentences.length
  return unnamed > 0 ? [...sentences, `${unnamed} more files of the upload look like secrets.`] : sentences
}

async function isSecret(site: SiteFiles, path: string): Promise<boolean> {
  const name = path.slice(path.lastIndexOf('/') + 1)
  if (example.test(name)) return false
  if (environmentFile.test(name) || credentialFile.test(name)) return true
  return mayBePrivateKey.test(name) && ((await readSmall(site, path))?.includes('PRIVATE KEY-----') ?? false)
}
