// The page that shows all pictures of the tour, one row for each stop.
import type { Look } from './guide.ts'
import type { Stop } from './stops.ts'

interface Picture {
  stop: Stop
  look: Look
  file: string
}

export function indexPage(pictures: readonly Picture[]): string {
  const names = [...new Set(pictures.map(({ stop }) => stop.name))]
  const row = (name: string) => pictures.filter(({ stop }) => stop.name === name).map(image)
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Screenshots of the dashboard</title>
<style>
  body { margin: 2rem; font: 14px/1.5 sans-serif; background: #8884 }
  div { display: flex; gap: 1rem; align-items: start; overflow-x: auto }
  img { height: 480px; border: 1px solid #8888; object-fit: cover; object-position: top }
</style>
<h1>Screenshots of the dashboard</h1>
${names.map(name => `<h2>${name}</h2>\n<div>${row(name).join('')}</div>`).join('\n')}
</html>
`
}

const image = ({ stop, look, file }: Picture): string =>
  `<a href="${file}"><img loading="lazy" src="${file}" alt="${stop.name}, ${look.width} px, ${look.theme}"></a>`
