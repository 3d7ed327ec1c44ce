// The images with other versions of Node than the one that apps and builds get if they ask for none.

/** `22` of `node:22-slim` and of `22=registry.example/node:latest`. `undefined` if neither says the version. */
export function nodeOfImage(entry: string): { version: string; image: string } | undefined {
  const [, named, image = ''] = /^(?:(\d{1,3})=)?(\S+)$/.exec(entry) ?? []
  const tag = image
    .slice(image.lastIndexOf('/') + 1)
    .split('@')[0]
    ?.split(':')[1]
  const version = named ?? /^\d{1,3}/.exec(tag ?? '')?.[0]
  return version === undefined ? undefined : { version, image }
}

/** The image of a version. The standard one for its own version, and for apps that ask for none. */
export function imageFor(
  { image, nodeImages }: { image: string; nodeImages?: readonly string[] | undefined },
  version: string | undefined,
): string {
  if (version === undefined || nodeOfImage(image)?.version === version) return image
  return (nodeImages ?? []).map(nodeOfImage).find(it => it?.version === version)?.image ?? image
}
