/** Who is asking: a signed-in person, and the one organization that everything they touch belongs to. */
export type Principal = {
  id: string;
  name: string | null;
  email: string | null;
  onboarded: boolean;
  /** `shared` while the person is not onboarded and others are in it. */
  organization: { id: string; name: string; shared?: true };
};
