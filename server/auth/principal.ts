/** Who is asking: a signed-in person, and the one organization that everything they touch belongs to. */
export type Principal = {
  id: string;
  name: string | null;
  email: string | null;
  onboarded: boolean;
  organization: { id: string; name: string };
};
