// Pushes of sites whose generator is a program of the machine. Where the program is there, the site is built; elsewhere the build
// says what is missing.
import { existsSync } from 'node:fs'
import { expect, it } from 'vitest'
import { gitProjectOfTest } from '../testing/git-project.ts'
import { onEveryServer } from '../testing/server.ts'

const hugo = {
  'hugo.toml':
    "baseURL = 'https://example.com/'\ntitle = 'Shop'\ndisableKinds = ['taxonomy', 'term', 'RSS', 'sitemap']\n",
  'layouts/index.html': '<h1>{{ .Site.Title }}</h1>{{ .Content }}',
  'content/_index.md': 'Made by *Hugo*.',
}
const jekyll = {
  '_config.yml': 'title: Shop\n',
  Gemfile: "source 'https://rubygems.org'\ngem 'jekyll'\n",
  '_layouts/page.html': '<h1>{{ site.title }}</h1>{{ content }}',
  'index.html': '---\nlayout: page\n---\n<p>Made by Jekyll.</p>',
}
const mkdocs = { 'mkdocs.yml': 'site_name: Shop\n', 'docs/index.md': 'Made by MkDocs.' }
const zola = {
  'config.toml': 'base_url = "https://example.com"\ntitle = "Shop"\n',
  'content/_index.md': '+++\n+++\nMade by Zola.',
  'templates/index.html': '<h1>{{ config.title }}</h1>{{ section.content | safe }}',
}

onEveryServer(server => {
  it.each([
    ['Hugo', 'hugo', hugo, 'Made by <em>Hugo</em>.'],
    ['Jekyll', 'jekyll', jekyll, '<p>Made by Jekyll.</p>'],
    ['MkDocs', 'mkdocs', mkdocs, 'Made by MkDocs.'],
    ['Zola', 'zola', zola, 'Made by Zola.'],
  ])(
    'a push of a site of %s is built where the machine has %s, and says what is missing elsewhere',
    async (_, program, files, words) => {
      const { copy, push, name } = await gitProjectOfTest(server())
      await copy.commit(files)
      const { stderr } = await push('main')
      const page = await server().site(name)
      if (existsSync(`/usr/bin/${program}`)) {
        expect(stderr).toContain('Live: ')
        expect([page.status, page.text]).toEqual([200, expect.stringContaining(words)])
      } else {
        expect(stderr).toContain(`and the program ${program} is not on this machine`)
        expect(stderr).toContain('on your machine, and deploy the folder that it makes: svc deploy ')
        expect(page.status).toBe(404)
      }
    },
  )

  it('a page that is no template is published as it is, although there are settings of a generator', async () => {
    const { copy, push, name } = await gitProjectOfTest(server())
    await copy.commit({ '_config.yml': 'theme: x\n', 'index.html': '<p>as it is</p>' })
    await push('main')
    expect((await server().site(name)).text).toBe('<p>as it is</p>')
  })
})
