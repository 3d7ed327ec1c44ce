// Requests a path from a host by plain HTTP, as the certificate authority will.
export type HttpProbe = (
  target: { host: string; address: string },
  path: string,
) => Promise<{ status: number; body: string } | { unreachable: string }>
