package console

import (
	"bytes"
	"errors"
	"image/png"
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"
	"github.com/pquerna/otp"

	"tollkeeper/domain/user"
	"tollkeeper/server/page"
)

// mountYou serves the pages by which people look after their own sign-in.
func (c *Console) mountYou(all *echo.Group) {
	g := all.Group("/you", limitForm, c.signedIn)
	g.GET("", c.showYou)
	g.POST("/password", c.changePassword)
	g.GET("/second-factor", c.beginSecondFactor)
	g.GET("/second-factor.png", c.secondFactorImage)
	g.POST("/second-factor", c.confirmSecondFactor)
	g.POST("/second-factor/end", c.endSecondFactor)
	g.POST("/second-factor/codes", c.renewRecovery)
	g.POST("/sessions", c.endOtherSessions)
	g.POST("/sessions/:id", c.endSession)
}

func (c *Console) showYou(ec echo.Context) error {
	return c.you(ec, http.StatusOK, youForm{Changed: ec.QueryParam("done") == "password"})
}

func (c *Console) you(ec echo.Context, status int, form youForm) (err error) {
	ctx := ec.Request().Context()
	form.Session = FromContext(ctx)
	if form.Sessions, err = user.Sessions(ctx, c.Store, form.Session.Person.ID); err != nil {
		return err
	}
	return page.Write(ec, status, youPage(form))
}

func (c *Console) changePassword(ec echo.Context) error {
	ctx := ec.Request().Context()
	err := FromContext(ctx).ChangePassword(ctx, c.Store, ec.FormValue("current"), ec.FormValue("password"), c.from(ec))
	var refused user.Refusal
	if errors.As(err, &refused) {
		return c.you(ec, refusedStatus(ec, refused), youForm{Fields: map[string]string{"current": raised(refused.Error())}})
	}
	if problems := problemsOf(err); problems != nil {
		return c.you(ec, http.StatusBadRequest, youForm{Fields: problems})
	}
	if err != nil {
		return err
	}
	return goTo(ec, root+"/you?done=password")
}

func (c *Console) beginSecondFactor(ec echo.Context) error {
	session := FromContext(ec.Request().Context())
	key, err := session.BeginSecondFactor(ec.Request().Context(), c.Store)
	if err != nil {
		return err
	}
	return page.Write(ec, http.StatusOK, secondFactorSetupPage(session, key, nil))
}

// imageSide is in pixels.
const imageSide = 220

func (c *Console) secondFactorImage(ec echo.Context) error {
	key, err := FromContext(ec.Request().Context()).BeginSecondFactor(ec.Request().Context(), c.Store)
	if err != nil {
		return err
	}
	parsed, err := otp.NewKeyFromURL(key.URL)
	if err != nil {
		return err
	}
	image, err := parsed.Image(imageSide, imageSide)
	if err != nil {
		return err
	}
	var file bytes.Buffer
	if err := png.Encode(&file, image); err != nil {
		return err
	}
	return ec.Blob(http.StatusOK, "image/png", file.Bytes())
}

func (c *Console) confirmSecondFactor(ec echo.Context) error {
	ctx := ec.Request().Context()
	session := FromContext(ctx)
	codes, err := session.ConfirmSecondFactor(ctx, c.Store, ec.FormValue("proof"), ec.FormValue("code"), c.from(ec))
	var refused user.Refusal
	if errors.As(err, &refused) {
		key, err := session.BeginSecondFactor(ctx, c.Store)
		if err != nil {
			return err
		}
		return page.Write(ec, refusedStatus(ec, refused), secondFactorSetupPage(session, key, &refused))
	}
	if err != nil {
		return err
	}
	return page.Write(ec, http.StatusOK, recoveryPage("The second factor is on", codes))
}

func (c *Console) renewRecovery(ec echo.Context) error {
	ctx := ec.Request().Context()
	codes, err := FromContext(ctx).RenewRecovery(ctx, c.Store, ec.FormValue("renewal"), c.from(ec))
	var refused user.Refusal
	if errors.As(err, &refused) {
		return c.you(ec, refusedStatus(ec, refused), youForm{Fields: map[string]string{"renewal": raised(refused.Error())}})
	}
	if err != nil {
		return err
	}
	return page.Write(ec, http.StatusOK, recoveryPage("There are other recovery codes", codes))
}

func (c *Console) endSecondFactor(ec echo.Context) error {
	ctx := ec.Request().Context()
	err := FromContext(ctx).EndSecondFactor(ctx, c.Store, ec.FormValue("proof"), c.from(ec))
	var refused user.Refusal
	if errors.As(err, &refused) {
		return c.you(ec, refusedStatus(ec, refused), youForm{Fields: map[string]string{"proof": raised(refused.Error())}})
	}
	if err != nil {
		return err
	}
	return goTo(ec, root+"/you")
}

func (c *Console) endOtherSessions(ec echo.Context) error {
	ctx := ec.Request().Context()
	if err := FromContext(ctx).RevokeOthers(ctx, c.Store); err != nil {
		return err
	}
	return goTo(ec, root+"/you")
}

func (c *Console) endSession(ec echo.Context) error {
	ctx := ec.Request().Context()
	if err := FromContext(ctx).Revoke(ctx, c.Store, ec.Param("id")); err != nil {
		return err
	}
	return goTo(ec, root+"/you")
}

// browsers are names that browsers give themselves, those that others claim to be last.
var browsers = []string{"Edg", "OPR", "Firefox", "Chrome", "Safari", "curl"}

// browserName is the name of a browser in what it says of itself.
func browserName(agent string) string {
	for _, name := range browsers {
		if strings.Contains(agent, name+"/") {
			switch name {
			case "Edg":
				return "Edge"
			case "OPR":
				return "Opera"
			}
			return name
		}
	}
	return "Another browser"
}
