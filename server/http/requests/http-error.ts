/** A refusal that is HTTP's own and has no code in the error table (404, 405, 413, …): its sentence is public. */
export class HttpError extends Error {
  override readonly name = 'HttpError';
  readonly status: number;

  constructor(status: number, sentence: string) {
    super(sentence);
    this.status = status;
  }
}
