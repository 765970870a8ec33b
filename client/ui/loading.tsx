/** Holds the place of a page that is on its way. */
export function Loading() {
  return (
    <main id="main" className="centre" tabIndex={-1}>
      <h1 className="loading">Loading…</h1>
    </main>
  );
}
