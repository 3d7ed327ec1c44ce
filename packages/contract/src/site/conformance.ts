// Tests that every client makes the same archive of a site, and shows the same refusals and the same advice.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { limits } from '../limits.ts'

/** The content of each file by its path, or its size if the content does not matter. */
export type Contents = Record<string, string | { bytes: number }>

interface SiteClient {
  /** Deploys a folder called `site`, as the client's user does. Rejects with the message that the user sees. */
  deploy(contents: Contents): Promise<{ tar: Uint8Array; findings: string[] }>
  /** How the client tells its user to deploy a folder of the site. */
  nameFolder(folder: string): string
}

const page = { 'index.html': '<h1>Hello</h1>' }

const uploaded: Record<string, string> = {
  '.DS_Store': '',
  '.gitignore': 'node_modules',
  '.well-known/security.txt': 'Contact: mailto:security@example.com',
  'B.txt': 'capital letters come first',
  _redirects: '/old / 301',
  'a/svc.json': 'not at the top',
  'docs/node_modules': 'a file of that name',
  'empty.txt': '',
  'index.html': '<h1>Hello</h1>',
  [`${'d'.repeat(120)}/${'f'.repeat(90)}.css`]: 'split over both name fields',
  [`${'d'.repeat(170)}/${'f'.repeat(120)}.css`]: 'too long for both name fields',
  'über/日本語 – façade.html': 'beyond ASCII',
}

const leftOut = {
  '.git/HEAD': 'ref: refs/heads/main',
  'sub/.git': 'gitdir: elsewhere',
  'node_modules/a/index.js': '',
  'a/node_modules/b/index.js': '',
  'svc.json': '{"project":"blog"}',
}

/** The SHA-256 hash of the archive of `uploaded`. Equal sites must give equal archives. */
const archiveDigest = '9b7f9941e24d5525f1ef98ab1e8e4615bcc76f79832810bd64bd850f2c8120db'

export function describeSiteClient({ deploy, nameFolder }: SiteClient): void {
  describe('the archive of a site', () => {
    it('holds the files of the site in the order of their names, and nothing of git and npm', async () => {
      const { tar, findings } = await deploy({ ...leftOut, ...uploaded })
      expect(namesIn(tar)).toEqual(Object.keys(uploaded).sort())
      expect(createHash('sha256').update(tar).digest('hex')).toBe(archiveDigest)
      expect(findings).toEqual([])
    })

    it('leaves out what .svcignore says, and the file itself', async () => {
      const rules = '*.map\n/drafts/\n!keep.map\n'
      const maps = { 'app.map': '', 'js/app.map': '', 'keep.map': '' }
      const { tar, findings } = await deploy({
        ...page,
        ...maps,
        '.svcignore': rules,
        'drafts/.env': 'SECRET=1',
        'a/drafts': '',
      })
      expect(namesIn(tar)).toEqual(['a/drafts', 'index.html', 'keep.map'])
      expect(findings).toEqual([])
    })

    it("leaves out a file in the place of the platform's own list of links, and says so", async () => {
      const { tar, findings } = await deploy({ ...page, '_svc/links.json': 'mine' })
      expect(namesIn(tar)).toEqual(['index.html'])
      expect(findings).toEqual([
        '_svc/links.json is left out: svc keeps its own list of symbolic links there.',
      ])
    })
  })

  describe('a site is refused', () => {
    const tenFiles = Object.fromEntries(
      Array.from({ length: 10 }, (_, i) => [`${i}.bin`, { bytes: limits.fileBytes }]),
    )
    it.each<[string, Contents, string]>([
      ['without files', leftOut, 'Nothing to deploy: no files found in site.'],
      [
        'with a file over its limit',
        { 'videos/b.mp4': { bytes: limits.fileBytes + 1 } },
        'File exceeds the 25 MB limit: videos/b.mp4.',
      ],
      ['over its limit', { ...tenFiles, one: '1' }, 'Site exceeds the 250 MB uncompressed limit.'],
      [
        'with a path that the server refuses',
        { 'a\\b.txt': '' },
        "The file 'a\\b.txt' has a backslash in its path. Rename it, then deploy again.",
      ],
    ])('%s', async (_, contents, message) => {
      await expect(deploy(contents)).rejects.toThrow(new Error(message))
    })
  })

  describe('the advice about a site', () => {
    it.each<[string, Contents, string[]]>([
      ['is nothing for a built site', { ...page, 'assets/a.js': '' }, []],
      ['is nothing for plain files', { 'video.mp4': '', 'list.txt': '' }, []],
      [
        'names a missing front page',
        { 'about.html': '' },
        ['There is no index.html at the top level, so the front page of the site is a 404.'],
      ],
      [
        'names a missing front page of sources that it does not know',
        { 'main.c': '', Makefile: '', 'README.md': '' },
        ['There is no index.html at the top level, so the front page of the site is a 404.'],
      ],
      [
        'names files with secrets',
        {
          ...page,
          '.env': '',
          '.env.example': '',
          'api/.env.local': '',
          'talk.key': 'a presentation',
          'tls/site.key': '-----BEGIN PRIVATE KEY-----',
        },
        ['.env', 'api/.env.local', 'tls/site.key'].map(
          path => `${path} is part of the upload. Keep secrets out of what you deploy.`,
        ),
      ],
      [
        'names the output beside the sources',
        { 'index.html': '<script src="/src/a.ts"></script>', 'dist/index.html': '' },
        [
          `index.html loads /src/a.ts, which browsers can run only once it is built. Deploy the output of the build: ${nameFolder('dist')}`,
        ],
      ],
      [
        'names the build that is missing',
        { 'package.json': '{"scripts":{"build":"vite build"}}' },
        [
          `There is a build script in package.json and no index.html at the top level. Run 'npm run build', then deploy its output: ${nameFolder('dist')}`,
        ],
      ],
      [
        'names a server that would not start',
        { 'package.json': '{"scripts":{"start":"my-runner"}}' },
        [
          "package.json starts 'my-runner', which svc does not know as a server. This will be a static site: nothing is started, and its files are public. To start it, add a file Procfile with the line: web: my-runner",
        ],
      ],
    ])('%s', async (_, contents, findings) => {
      expect((await deploy(contents)).findings).toEqual(findings)
    })
  })
}

/** Lists the files of an archive with the tar program of this machine. */
const namesIn = (tar: Uint8Array): string[] =>
  execFileSync('tar', ['-tf', '-'], {
    input: tar,
    encoding: 'utf8',
    env: { PATH: process.env.PATH, LC_ALL: 'C.UTF-8' },
  })
    .trim()
    .split('\n')
