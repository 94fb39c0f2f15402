// The installer of a release: scripts/install.sh, told where the release is and whose signature it has.

/** https, or this machine; nothing that a shell or curl reads otherwise. */
export function isReleaseAddress(url: string): boolean {
  return /^(https:\/\/[\w.-]+|http:\/\/(127\.0\.0\.1|localhost|\[::1\]))(:\d+)?(\/[\w.~%/+-]*)?$/.test(url)
}

/** `baseUrl`: a folder's address, `''` if nobody knows it yet; `releaseKey`: `RW…`, `''` for an unsigned release. */
export function installerFor(script: string, baseUrl: string, releaseKey: string): string {
  return script
    .replace(/^RELEASES=''$/m, `RELEASES='${baseUrl.replace(/\/+$/, '')}'`)
    .replace(/^RELEASE_KEY=''$/m, `RELEASE_KEY='${releaseKey}'`)
}
