package zendesk

import (
	"crypto/sha256"
	"encoding/hex"

	"worlds/journal/canon"
	"worlds/twin"
)

// Job is what a bulk request did. The work is done at once: the answer to the
// request says queued, as Zendesk's does, and the first look finds it completed.
type Job struct {
	ID       string      `json:"id"`
	JobType  string      `json:"job_type"`
	Message  *string     `json:"message"`
	Progress *int64      `json:"progress"`
	Results  []canon.Raw `json:"results"`
	Status   string      `json:"status"`
	Total    int64       `json:"total"`
	URL      string      `json:"url"`
}

var jobs = twin.Resource[Job]{
	Kind: twin.Kind{Table: "zendesk.job", Object: "job_status"},
	Key:  func(j *Job) string { return j.ID },
}

func jobAPI() twin.API {
	return twin.API{
		Kind: jobs.Kind,
		Routes: []twin.Route{
			twin.On("GET /api/v2/job_statuses", listJobs),
			twin.On("GET /api/v2/job_statuses/show_many", showManyJobs),
			twin.On("GET /api/v2/job_statuses/{id}", showJob),
		},
	}
}

// jobResult is what became of one record of a job.
type jobResult struct {
	Action  string `json:"action,omitempty"`
	Details string `json:"details,omitempty"`
	Error   string `json:"error,omitempty"`
	ID      *int64 `json:"id,omitempty"`
	Index   *int64 `json:"index,omitempty"`
	Status  string `json:"status,omitempty"`
	Success bool   `json:"success"`
}

// queued is a job as the request that began it shows it.
type queued struct {
	ID       string    `json:"id"`
	JobType  string    `json:"job_type"`
	Message  canon.Raw `json:"message"`
	Progress canon.Raw `json:"progress"`
	Results  canon.Raw `json:"results"`
	Status   string    `json:"status"`
	Total    int64     `json:"total"`
	URL      string    `json:"url"`
}

// jobIDLength is how many hexadecimal digits the id of a job has.
const jobIDLength = 32

// run does n pieces of work, each all or nothing, and stores what became of them.
func run(tx *twin.Tx, kind string, n int, work func(i int) (jobResult, *twin.Error)) twin.Doc {
	label := tx.DerivedID("V3", jobIDLength, jobCounter, key(tx.Next(jobCounter)))
	sum := sha256.Sum256([]byte(label))
	total := int64(n)
	j := Job{ID: "V3-" + hex.EncodeToString(sum[:])[:jobIDLength], JobType: kind, Progress: &total, Status: "completed", Total: total}
	j.URL = link("/job_statuses/" + j.ID)
	failed := 0
	for i := range n {
		before := tx.Savepoint()
		result, err := work(i)
		if err != nil {
			tx.Rollback(before)
			failed++
			result.Success, result.Status = false, ""
			result.Error, result.Details = refusal(err)
		}
		if result.ID != nil && *result.ID < 1 {
			result.ID = nil // the request named no record
		}
		j.Results = append(j.Results, canon.Marshal(&result))
	}
	message := "Completed at " + string(stampOf(tx.Now()))
	j.Message = &message
	jobs.Put(tx, &j)
	return twin.Doc{Body: object(part{"job_status", canon.Marshal(&queued{ID: j.ID, JobType: kind, Status: "queued", Total: total, URL: j.URL})})}
}

// refusal is an error as a job's result words it.
func refusal(err *twin.Error) (code, details string) {
	raw, _ := canon.Get(err.Body, "error")
	code, ok := canon.Unquote(raw)
	if !ok {
		code = "Forbidden"
	}
	raw, _ = canon.Get(err.Body, "details")
	for _, list := range canon.Members(raw) {
		for p := range canon.Elements(list) {
			d, _ := canon.Get(p, "description")
			details, _ = canon.Unquote(d)
			return code, details
		}
	}
	raw, _ = canon.Get(err.Body, "description")
	details, _ = canon.Unquote(raw)
	return code, details
}

type jobPath struct {
	ID string `path:"id"`
}

func showJob(tx *twin.Tx, p *jobPath) (twin.Doc, *twin.Error) {
	doc, ok := jobs.Doc(tx, p.ID)
	if !ok {
		return twin.Doc{}, errNotFound()
	}
	return wrapped("job_status", doc), nil
}

type jobIDs struct {
	IDs twin.Opt[string] `param:"ids" rule:"required"`
}

func showManyJobs(tx *twin.Tx, p *jobIDs) (twin.Doc, *twin.Error) {
	rows := []canon.Raw{}
	for _, id := range splitList(p.IDs.V) {
		if doc, ok := jobs.Doc(tx, id); ok {
			rows = append(rows, doc.Body)
		}
	}
	return twin.Doc{Body: object(part{"job_statuses", array(rows)})}, nil
}

func listJobs(tx *twin.Tx, p *paging) (twin.Doc, *twin.Error) {
	l := &listing{name: "job_statuses"}
	for row := range tx.State().Oldest(jobs.Table, 0) {
		l.items = append(l.items, item{id: int64(row.Ord), body: row.Body})
	}
	return l.answer(tx, p)
}
