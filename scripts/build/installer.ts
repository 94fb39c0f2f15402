// A release's installer: scripts/install.sh with the release's address and key.

/** https, or this machine; no characters special to a shell or curl. */
export function isReleaseAddress(url: string): boolean {
  return /^(https:\/\/[\w.-]+|http:\/\/(127\.0\.0\.1|localhost|\[::1\]))(:\d+)?(\/[\w.~%/+-]*)?$/.test(url)
}

/** `baseUrl`: the release's folder, `''`: unknown. `releaseKey`: `RW…`, `''`: unsigned. */
export function installerFor(script: string, baseUrl: string, releaseKey: string): string {
  return script
    .replace(/^RELEASES=''$/m, `RELEASES='${baseUrl.replace(/\/+$/, '')}'`)
    .replace(/^RELEASE_KEY=''$/m, `RELEASE_KEY='${releaseKey}'`)
}
