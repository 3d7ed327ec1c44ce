export const config = { dir: { input: 'src' } }

export default function configure(site) {
  site.addPassthroughCopy('src/style.css')
}
