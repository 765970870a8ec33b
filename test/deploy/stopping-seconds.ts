/** How long stopping takes at most after the grace: the guide's steps 5 and 6. */
export const stoppingSeconds = 20;
