// The rules engine of the platform, for tests that compare it with what is written for it. Clients do not import the server,
// so it is loaded by its path.

interface Asked {
  path: string
  query: string
  host: string
}

interface Redirects {
  readRedirects(text: string): {
    redirects: { match(asked: Asked): { to: string; status: number; force: boolean } | undefined }
    warnings(): string[]
  }
}

interface Headers {
  readHeaders(text: string): {
    headers: { match(asked: Asked): { name: string; value?: string }[] }
    warnings: string[]
  }
}

const at = (name: string) =>
  new URL(`../../../../server/dist/core/deployments/rules/${name}.js`, import.meta.url).href

export const { readRedirects } = (await import(at('redirects'))) as Redirects
export const { readHeaders } = (await import(at('headers'))) as Headers

export const asked = (path: string): Asked => ({ path, query: '', host: 'example.com' })
