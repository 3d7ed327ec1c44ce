// Makes pictures of sites.

export interface PictureRequest {
  projectId: string
  /** The name of the project, whose site is shown. */
  project: string
}

/** Returns a PNG. Rejects if the site does not answer with a page, or the picture cannot be made. */
export type TakePicture = (request: PictureRequest, signal: AbortSignal) => Promise<Buffer>
